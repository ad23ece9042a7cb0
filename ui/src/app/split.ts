// How wide the case pane is, remembered on this computer.
import { storage } from '../shared/drafts';

export const PANE = { least: 360, most: 640, usual: 424 } as const;
const KEY = 'onceover.pane';

export function clampPane(width: number): number {
  if (!Number.isFinite(width)) return PANE.usual;
  return Math.min(PANE.most, Math.max(PANE.least, Math.round(width)));
}

export function readPane(): number {
  const stored = storage()?.getItem(KEY);
  return stored ? clampPane(Number(stored)) : PANE.usual;
}

export function storePane(width: number): void {
  storage()?.setItem(KEY, String(clampPane(width)));
}
