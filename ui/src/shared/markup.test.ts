// Rules every component keeps: no inline styles (the windows refuse them), no text as HTML, no address of another host.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'svelte/compiler';
import { expect, it } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => join('src', name));
const components = files.filter((name) => name.endsWith('.svelte'));

it.each(components)('%s keeps the rules', (name) => {
  const source = readFileSync(name, 'utf8');
  expect(source).not.toMatch(/\sstyle=/);
  expect(source).not.toMatch(/\sstyle:/);
  expect(source).not.toContain('{@html');
  expect(source).not.toMatch(/\s(transition|in|out|animate):[a-z]+[\s=>|{]/);
  expect(source).not.toMatch(/https?:\/\//);
});

type Node = { type?: string; name?: string; attributes?: Node[]; [member: string]: unknown };

function nodesOf(node: unknown, found: Node[] = []): Node[] {
  if (Array.isArray(node)) node.forEach((one) => nodesOf(one, found));
  else if (typeof node === 'object' && node !== null) {
    found.push(node as Node);
    Object.values(node).forEach((one) => nodesOf(one, found));
  }
  return found;
}

it.each(components)('%s has no button that does nothing', (name) => {
  const { fragment } = parse(readFileSync(name, 'utf8'), { modern: true });
  const buttons = nodesOf(fragment).filter((node) => node.type === 'RegularElement' && node.name === 'button');
  for (const button of buttons) {
    const names = (button.attributes ?? []).map((attribute) => attribute.name);
    const submits = JSON.stringify(button.attributes).includes('"submit"');
    expect(names.includes('onclick') || submits, JSON.stringify(names)).toBe(true);
  }
});

it('only src/ipc/ talks to Tauri', () => {
  const outside = files.filter(
    (name) => /\.(ts|svelte)$/.test(name) && !name.startsWith(join('src', 'ipc')) && !name.endsWith('markup.test.ts'),
  );
  for (const name of outside) expect(readFileSync(name, 'utf8'), name).not.toContain('@tauri-apps');
});

it('shared imports no feature', () => {
  for (const name of files.filter(
    (file) => file.startsWith(join('src', 'shared')) && /\.(ts|svelte)$/.test(file) && !file.endsWith('markup.test.ts'),
  )) {
    expect(readFileSync(name, 'utf8'), name).not.toMatch(/from '.*features\//);
  }
});
