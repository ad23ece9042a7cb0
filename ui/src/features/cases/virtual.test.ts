import { describe, expect, it } from 'vitest';

import { drawn, HEAD_HEIGHT, indexAt, layOut, moved, ROW_HEIGHT, scrollTo, topOf, visible } from './virtual';

const layout = layOut(47, [
  { due: 'overdue', count: 1 },
  { due: 'today', count: 1 },
  { due: 'this_week', count: 6 },
  { due: 'later', count: 39 },
  { due: 'no_date', count: 0 },
]);

describe('the layout', () => {
  it('puts a head before each group that has rows', () => {
    expect(layout.heads.map((head) => [head.due, head.first, head.top])).toEqual([
      ['overdue', 0, 0],
      ['today', 1, ROW_HEIGHT + HEAD_HEIGHT],
      ['this_week', 2, 2 * (ROW_HEIGHT + HEAD_HEIGHT)],
      ['later', 8, 8 * ROW_HEIGHT + 3 * HEAD_HEIGHT],
    ]);
    expect(layout.height).toBe(47 * ROW_HEIGHT + 4 * HEAD_HEIGHT);
  });
  it('finds each row where it put it', () => {
    for (let index = 0; index < 47; index += 1) {
      expect(indexAt(layout, topOf(layout, index))).toBe(index);
      expect(indexAt(layout, topOf(layout, index) + ROW_HEIGHT - 1)).toBe(index);
    }
  });
  it('finds the row below a head', () => {
    for (const head of layout.heads) expect(indexAt(layout, head.top + 1)).toBe(head.first);
  });
});

describe('what is drawn', () => {
  it('is a few dozen rows of 100,000 wherever one scrolls', () => {
    const long = layOut(100_000, [{ due: 'later', count: 100_000 }]);
    for (const top of [0, 1_234_567, long.height - 700]) {
      const range = visible(long, top, 700);
      expect(range.end - range.first).toBeLessThan(40);
      expect(topOf(long, range.first)).toBeLessThanOrEqual(Math.max(HEAD_HEIGHT, top));
      expect(topOf(long, range.end - 1) + ROW_HEIGHT).toBeGreaterThanOrEqual(Math.min(long.height, top + 700));
    }
  });
  it('keeps the focused row, wherever it is', () => {
    expect(drawn({ first: 10, end: 12 }, 3)).toEqual([10, 11, 3]);
    expect(drawn({ first: 10, end: 12 }, 11)).toEqual([10, 11]);
    expect(drawn({ first: 10, end: 12 }, null)).toEqual([10, 11]);
  });
  it('is nothing for an empty list', () => {
    expect(visible(layOut(0, []), 0, 700)).toEqual({ first: 0, end: 0 });
  });
});

describe('moving', () => {
  it('stays inside the list', () => {
    expect(moved('k', 0, 47, 700)).toBe(0);
    expect(moved('ArrowDown', 46, 47, 700)).toBe(46);
    expect(moved('j', 3, 47, 700)).toBe(4);
    expect(moved('Home', 30, 47, 700)).toBe(0);
    expect(moved('End', 3, 47, 700)).toBe(46);
    expect(moved('PageDown', 0, 47, 400)).toBe(9);
    expect(moved('x', 3, 47, 700)).toBeUndefined();
    expect(moved('j', 0, 0, 700)).toBeUndefined();
  });
  it('scrolls no further than needed, and shows the head of a first row', () => {
    expect(scrollTo(layout, 8, 1_000, 400)).toBe(topOf(layout, 8) - HEAD_HEIGHT);
    expect(scrollTo(layout, 20, 0, 400)).toBe(topOf(layout, 20) + ROW_HEIGHT - 400);
    expect(scrollTo(layout, 3, 0, 400)).toBe(0);
  });
});
