import { expect, it, vi } from 'vitest';

import type { CasePage, CaseQuery } from '../../ipc/bindings';
import { aRow, NOW } from '../../shared/examples';
import { PAGE_ROWS, Pages, PAGES_KEPT } from './pages';
import { NO_FILTERS, toQuery } from './question';

const query = toQuery({ view: 'all', text: '', filters: NO_FILTERS, sort: 'due', descending: false }, NOW);

function pageOf(asked: CaseQuery, total: number, name = 'case'): CasePage {
  const count = Math.max(0, Math.min(asked.limit, total - asked.offset));
  const rows = Array.from({ length: count }, (_, at) => aRow({ id: `${name}-${asked.offset + at}` }));
  return { rows, offset: asked.offset, total, groups: [], version: 1 };
}

it('reads pages as they are needed and lets the oldest go', async () => {
  const read = vi.fn((asked: CaseQuery) => Promise.resolve(pageOf(asked, 100_000)));
  const pages = new Pages(read, () => undefined);
  await pages.ask(query, 0, 60);
  expect(pages.total).toBe(100_000);
  expect(read).toHaveBeenCalledTimes(1);
  for (let page = 1; page <= PAGES_KEPT + 4; page += 1) {
    pages.need(page * PAGE_ROWS, page * PAGE_ROWS + 30);
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(pages.rows().length).toBeLessThanOrEqual(PAGES_KEPT * PAGE_ROWS);
  expect(pages.row(PAGES_KEPT * PAGE_ROWS)?.id).toBe(`case-${PAGES_KEPT * PAGE_ROWS}`);
  expect(pages.row(0)).toBeUndefined();
});

it('drops the late answer to an older question', async () => {
  const waiting: { asked: CaseQuery; answer: (page: CasePage) => void }[] = [];
  const pages = new Pages(
    (asked) => new Promise((answer) => waiting.push({ asked, answer })),
    () => undefined,
  );
  const first = pages.ask({ ...query, text: 'a' }, 0, 10);
  const second = pages.ask({ ...query, text: 'ab' }, 0, 10);
  waiting[1]!.answer(pageOf(waiting[1]!.asked, 2, 'new'));
  await second;
  waiting[0]!.answer(pageOf(waiting[0]!.asked, 5, 'old'));
  await first;
  expect(pages.total).toBe(2);
  expect(pages.row(0)?.id).toBe('new-0');
});

it('renews values in place: nothing moves while the list has the focus', async () => {
  let total = 3;
  const pages = new Pages(
    (asked) => {
      const page = pageOf(asked, total);
      if (total === 2) {
        page.rows = [aRow({ id: 'case-2', mark: 'sending' }), aRow({ id: 'case-0' })];
      }
      return Promise.resolve(page);
    },
    () => undefined,
  );
  await pages.ask(query, 0, 10);
  total = 2;
  expect(await pages.renew(query, 0, 10)).toBe(false);
  expect(pages.rows().map((row) => row.id)).toEqual(['case-0', 'case-1', 'case-2']);
  expect(pages.row(2)?.mark).toBe('sending');
  expect(pages.total).toBe(3);
});

it('takes over a new order that leaves the rows on show in their places', async () => {
  let total = 3;
  const pages = new Pages(
    (asked) => Promise.resolve(pageOf(asked, total)),
    () => undefined,
  );
  await pages.ask(query, 0, 10);
  total = 5;
  expect(await pages.renew(query, 0, 3)).toBe(true);
  expect(pages.total).toBe(5);
  expect(pages.row(4)?.id).toBe('case-4');
});

it('keeps what it shows and says so when reading fails', async () => {
  let fails = false;
  const pages = new Pages(
    (asked) => (fails ? Promise.reject(new Error('locked')) : Promise.resolve(pageOf(asked, 3))),
    () => undefined,
  );
  await pages.ask(query, 0, 10);
  fails = true;
  await pages.ask(query, 0, 10);
  expect(pages.failed).toBe('locked');
  expect(pages.row(1)?.id).toBe('case-1');
});
