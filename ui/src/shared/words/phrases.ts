// The parts sentences are made of: numbers, counts, lists, names, sizes and durations.

/** 14,208 */
export function number(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 change", "7 changes". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** "Due", "Due and Description", "Title, Due and Description". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** "Dana" of "Dana Ruiz". */
export function firstName(name: string): string {
  return name.split(' ')[0] ?? name;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "code_enforcement" as "Code enforcement". */
export function slugWords(slug: string): string {
  return capital(slug.replaceAll('_', ' '));
}

export function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}

/** "1 h 30 min", "45 min". */
export function duration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}
