// The contrast of the tokens, computed from the stylesheet: text at least 4.5, outlines and focus at least 3.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Tokens = Map<string, string>;

const css = readFileSync('src/shared/styles/tokens.css', 'utf8');

function block(selector: string): Tokens {
  const start = css.indexOf(`${selector} {`);
  const body = css.slice(css.indexOf('{', start) + 1, css.indexOf('\n}', start));
  return new Map([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/gi)].map((match) => [match[1]!, match[2]!]));
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function ratio(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

const PAGE = ['bg-surface', 'bg-app', 'bg-sunken', 'bg-raised', 'bg-hover', 'bg-selected'];
const TONES = ['neutral', 'send', 'retry', 'doubt', 'conflict', 'refused', 'done', 'blue', 'indigo'];
const TEXT = ['text', 'text-2', 'text-3', 'accent', 'neutral', 'send', 'retry', 'doubt', 'conflict', 'refused', 'done'];

describe.each([
  ['light', block(':root')],
  ['dark', block("[data-theme='dark']")],
])('%s', (_theme, tokens) => {
  const of = (name: string) => {
    const value = tokens.get(name);
    if (!value) throw new Error(`no token ${name}`);
    return value;
  };
  it.each(TEXT.flatMap((text) => PAGE.map((page) => [text, page])))('%s on %s is readable', (text, page) => {
    expect(ratio(of(text!), of(page!))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(TONES)('%s on its own pill is readable', (tone) => {
    expect(ratio(of(tone), of(`${tone}-bg`))).toBeGreaterThanOrEqual(4.5);
  });
  it('text on the accent is readable', () => {
    expect(ratio(of('on-accent'), of('accent'))).toBeGreaterThanOrEqual(4.5);
    expect(ratio(of('on-accent'), of('accent-hover'))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(PAGE)('control outlines and focus are seen on %s', (page) => {
    expect(ratio(of('line-control'), of(page))).toBeGreaterThanOrEqual(3);
    expect(ratio(of('focus'), of(page))).toBeGreaterThanOrEqual(3);
  });
});
