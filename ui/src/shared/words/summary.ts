// One sentence or two about everything not received, for the summary, the rail and the live region.
import type { Counts, Link } from '../../ipc/bindings';
import { counted, number } from './phrases';

/** One sentence or two about everything not received. */
export function summary(counts: Counts, link: Link): string {
  return summaryLines(counts, link).join(' ');
}

/** The same, line by line. */
export function summaryLines(counts: Counts, link: Link): string[] {
  const { open, open_cases: cases, waiting, needs_attention: needs, in_doubt: doubt } = counts;
  if (open === 0) return ['Everything you did has been received.'];
  const toCases = `to ${counted(cases, 'case')}`;
  if (link === 'offline') {
    return [`You are offline. ${counted(open, 'change')} ${toCases} ${open === 1 ? 'is' : 'are'} saved here.`];
  }
  const needWords = needs === 1 ? 'needs' : 'need';
  if (waiting === 0) {
    const parts = [];
    if (needs > 0) parts.push(`${counted(needs, 'change')} ${needWords} you`);
    if (doubt > 0)
      parts.push(`${needs > 0 ? number(doubt) : counted(doubt, 'change')} ${doubt === 1 ? 'is' : 'are'} in doubt`);
    return [`${parts.join(', ')}.`];
  }
  const lines = [`${counted(waiting, 'change')} ${toCases} ${waiting === 1 ? 'is' : 'are'} waiting.`];
  const parts = [];
  if (needs > 0) parts.push(`${number(needs)} ${needWords} you`);
  if (doubt > 0) parts.push(`${number(doubt)} ${doubt === 1 ? 'is' : 'are'} in doubt`);
  if (parts.length > 0) lines.push(`${parts.join(', ')}.`);
  return lines;
}

/** "3 need you", "1 needs you". */
export function needsYou(count: number): string {
  return `${number(count)} ${count === 1 ? 'needs' : 'need'} you`;
}

export function notReceivedYet(count: number): string {
  return count === 0 ? '' : `${number(count)} of your changes not received yet`;
}

/** What the one live region says: joined, so that a burst is one sentence. */
export function announceReceived(count: number): string {
  return `${counted(count, 'change')} received`;
}

export function announceNeeds(count: number): string {
  return `${counted(count, 'change')} ${count === 1 ? 'needs' : 'need'} you`;
}
