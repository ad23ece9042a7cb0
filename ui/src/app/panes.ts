// F6 walks through the panes of a window, in the order the eye meets them.
const PANES = 'nav, main, aside, [data-pane]';
const FIRST = 'button:not(:disabled), [href], input, select, textarea, [tabindex="0"]';

/** Where to go from pane `at` (−1: none) among `count`. */
export function paneAfter(at: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (at < 0) return by === 1 ? 0 : count - 1;
  return (at + by + count) % count;
}

export function movePane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>(PANES)];
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const pane = panes[paneAfter(at, by, panes.length)];
  pane?.querySelector<HTMLElement>(FIRST)?.focus();
}
