// Which words of a text are new against another: for looking, not for merging.
export type Part = { text: string; changed: boolean };

const WORDS_MOST = 600;

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+/gu) ?? [];
}

/** `text` in parts, each marked if it is not in `base`. Very long texts are compared at their ends only. */
export function changedParts(base: string, text: string): Part[] {
  if (base === text) return text ? [{ text, changed: false }] : [];
  const a = words(base);
  const b = words(text);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const kept = keptWords(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const flags = b.map((_, at) => at >= start && at < b.length - end && !kept.has(at - start));
  return joined(b, flags);
}

/** The places in `b` of the words that `a` has in the same order: the longest common subsequence. */
function keptWords(a: string[], b: string[]): Set<number> {
  const kept = new Set<number>();
  if (a.length > WORDS_MOST || b.length > WORDS_MOST) return kept;
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      kept.add(j);
      i += 1;
      j += 1;
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return kept;
}

function joined(all: string[], flags: boolean[]): Part[] {
  const parts: Part[] = [];
  all.forEach((text, at) => {
    const isSpace = /^\s+$/.test(text);
    // A space between two changed words belongs to the change.
    const changed = isSpace ? Boolean(flags[at - 1] && flags[at + 1]) : flags[at]!;
    const last = parts[parts.length - 1];
    if (last && last.changed === changed) last.text += text;
    else parts.push({ text, changed });
  });
  return withoutSpecks(parts);
}

const SPECK_LETTERS = 6;

/** A word or two that both texts happen to share inside a change is no help to the eye. */
function withoutSpecks(parts: Part[]): Part[] {
  const found: Part[] = [];
  parts.forEach((part, at) => {
    const inside = parts[at - 1]?.changed && parts[at + 1]?.changed;
    const isSpeck = !part.changed && inside === true && part.text.replace(/[^\p{L}\p{N}]/gu, '').length < SPECK_LETTERS;
    const changed = part.changed || (isSpeck && /[\p{L}]/u.test(part.text));
    const last = found[found.length - 1];
    if (last && last.changed === changed) last.text += part.text;
    else found.push({ text: part.text, changed });
  });
  return found;
}

/** The first `most` characters of the parts. */
export function cut(parts: readonly Part[], most: number): Part[] {
  const found: Part[] = [];
  let left = most - 1;
  for (const part of parts) {
    if (left <= 0) break;
    found.push({ ...part, text: part.text.slice(0, left) });
    left -= part.text.length;
  }
  const last = found[found.length - 1];
  if (last) last.text = `${last.text.trimEnd()}…`;
  return found;
}
