// Text people or other systems wrote, made safe to look at: hidden characters get names, long text is cut.
export type Piece = { kind: 'text'; text: string } | { kind: 'hidden'; name: string };

// Direction marks, zero-width characters and other controls that would change what is seen without being seen.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let plain = '';
  for (const letter of text) {
    if (!HIDDEN.test(letter)) {
      plain += letter;
      continue;
    }
    if (plain) found.push({ kind: 'text', text: plain });
    plain = '';
    found.push({
      kind: 'hidden',
      name: `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    });
  }
  if (plain || found.length === 0) found.push({ kind: 'text', text: plain });
  return found;
}

export const LONG_CHARACTERS = 420;
const LONG_LINES = 5;

export function isLong(text: string, most = LONG_CHARACTERS): boolean {
  return text.length > most || text.split('\n').length > LONG_LINES;
}

/** The start of a long text: five lines or about that much. */
export function start(text: string, most = LONG_CHARACTERS): string {
  const lines = text.split('\n').slice(0, LONG_LINES).join('\n');
  return lines.length > most ? `${lines.slice(0, most).trimEnd()}…` : `${lines.trimEnd()}…`;
}
