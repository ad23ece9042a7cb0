// Where each row of a long list stands, by arithmetic alone: rows and group heads have fixed heights.
import type { Due, DueGroup } from '../../ipc/bindings';

export const ROW_HEIGHT = 40;
export const HEAD_HEIGHT = 24;
/** Rows kept ready above and below what is seen. */
export const OVERSCAN = 6;

export type Head = { due: Due; count: number; first: number; top: number };
export type Layout = { total: number; heads: readonly Head[]; height: number };

/** The layout of `total` rows; a group without rows has no head. */
export function layOut(total: number, groups: readonly DueGroup[]): Layout {
  const heads: Head[] = [];
  let first = 0;
  for (const { due, count } of groups) {
    if (count <= 0) continue;
    heads.push({ due, count, first, top: first * ROW_HEIGHT + heads.length * HEAD_HEIGHT });
    first += count;
  }
  return { total, heads, height: total * ROW_HEIGHT + heads.length * HEAD_HEIGHT };
}

/** The top of the row at `index`, in pixels from the first. */
export function topOf(layout: Layout, index: number): number {
  const before = layout.heads.filter((head) => head.first <= index).length;
  return index * ROW_HEIGHT + before * HEAD_HEIGHT;
}

/** The row that covers the pixel `y`; over a head, the row below it. */
export function indexAt(layout: Layout, y: number): number {
  if (layout.total === 0) return 0;
  let headsAbove = 0;
  for (const head of layout.heads) {
    if (head.top <= y) headsAbove += 1;
  }
  const raw = Math.floor((y - headsAbove * HEAD_HEIGHT) / ROW_HEIGHT);
  const group = layout.heads[headsAbove - 1];
  return Math.min(layout.total - 1, Math.max(group?.first ?? 0, raw, 0));
}

export type Range = { first: number; end: number };

/** The rows to draw, `end` exclusive. */
export function visible(layout: Layout, scrollTop: number, viewport: number, overscan = OVERSCAN): Range {
  if (layout.total === 0) return { first: 0, end: 0 };
  const first = Math.max(0, indexAt(layout, Math.max(0, scrollTop)) - overscan);
  const last = indexAt(layout, Math.max(0, scrollTop) + Math.max(0, viewport));
  return { first, end: Math.min(layout.total, last + 1 + overscan) };
}

/** The indices to draw: what is seen, and the focused row wherever it is. */
export function drawn(range: Range, focusedIndex: number | null): number[] {
  const indices = Array.from({ length: Math.max(0, range.end - range.first) }, (_, place) => range.first + place);
  if (focusedIndex !== null && (focusedIndex < range.first || focusedIndex >= range.end)) indices.push(focusedIndex);
  return indices;
}

/** How far to scroll so that the row at `index`, and the head right above it, are seen. */
export function scrollTo(layout: Layout, index: number, scrollTop: number, viewport: number): number {
  const top = topOf(layout, index);
  const withHead = layout.heads.some((head) => head.first === index) ? top - HEAD_HEIGHT : top;
  if (withHead < scrollTop) return withHead;
  if (top + ROW_HEIGHT > scrollTop + viewport) return top + ROW_HEIGHT - viewport;
  return scrollTop;
}

/** Where a key leads from `index`; undefined if the key does not move. */
export function moved(key: string, index: number, total: number, viewport: number): number | undefined {
  const page = Math.max(1, Math.floor(viewport / ROW_HEIGHT) - 1);
  const to: Record<string, number> = {
    j: index + 1,
    ArrowDown: index + 1,
    k: index - 1,
    ArrowUp: index - 1,
    Home: 0,
    End: total - 1,
    PageDown: index + page,
    PageUp: index - page,
  };
  const target = to[key];
  if (target === undefined || total === 0) return undefined;
  return Math.min(total - 1, Math.max(0, target));
}
