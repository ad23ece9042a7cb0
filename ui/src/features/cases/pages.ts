// The pages of a list that were read, with the oldest let go. A late answer to an older question is dropped.
import type { CasePage, CaseQuery, CaseRow, DueGroup } from '../../ipc/bindings';

export const PAGE_ROWS = 100;
export const PAGES_KEPT = 24;

export type ReadPage = (query: CaseQuery) => Promise<CasePage>;

export class Pages {
  total = 0;
  groups: DueGroup[] = [];
  /** Whether a first page was read for the present question. */
  known = false;
  failed: string | null = null;

  #read: ReadPage;
  #changed: () => void;
  #query: CaseQuery | null = null;
  #pages = new Map<number, CaseRow[]>();
  #reading = new Set<number>();
  #question = 0;

  constructor(read: ReadPage, changed: () => void) {
    this.#read = read;
    this.#changed = changed;
  }

  /** Asks anew. What was read stays on show until the first page of the answer is here. */
  ask(query: CaseQuery, first: number, end: number): Promise<void> {
    this.#query = query;
    this.#question += 1;
    this.#reading.clear();
    return this.#replace(this.#pagesOf(first, Math.max(end, first + 1)));
  }

  row(index: number): CaseRow | undefined {
    const page = Math.floor(index / PAGE_ROWS);
    return this.#pages.get(page)?.[index - page * PAGE_ROWS];
  }

  /** Where a row is among the pages held, if it is. */
  indexOf(id: string): number | undefined {
    for (const [page, rows] of this.#pages) {
      const place = rows.findIndex((row) => row.id === id);
      if (place >= 0) return page * PAGE_ROWS + place;
    }
    return undefined;
  }

  rows(): CaseRow[] {
    return [...this.#pages.values()].flat();
  }

  /** Reads what is missing of the rows from `first` to `end`. */
  need(first: number, end: number): void {
    for (const page of this.#pagesOf(first, Math.min(end, this.total))) {
      if (this.#pages.has(page)) this.#touch(page);
      else void this.#add(page);
    }
  }

  /** Reads the rows on show again and puts them into their places: nothing moves. Rows that left stay until asked anew. */
  async renew(query: CaseQuery, first: number, end: number): Promise<void> {
    const question = this.#question;
    const fresh = new Map<string, CaseRow>();
    for (const page of this.#pagesOf(first, end)) {
      const answer = await this.#read({ ...query, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
      for (const row of answer.rows) fresh.set(row.id, row);
    }
    if (question !== this.#question) return;
    for (const [page, rows] of this.#pages)
      this.#pages.set(
        page,
        rows.map((row) => fresh.get(row.id) ?? row),
      );
    this.#changed();
  }

  #pagesOf(first: number, end: number): number[] {
    const from = Math.floor(Math.max(0, first) / PAGE_ROWS);
    const to = Math.floor(Math.max(0, end - 1) / PAGE_ROWS);
    return Array.from({ length: to - from + 1 }, (_, place) => from + place);
  }

  async #replace(wanted: number[]): Promise<void> {
    const question = this.#question;
    const query = this.#query;
    if (!query) return;
    try {
      const answers = await Promise.all(
        wanted.map((page) => this.#read({ ...query, offset: page * PAGE_ROWS, limit: PAGE_ROWS })),
      );
      if (question !== this.#question) return;
      this.#pages = new Map(answers.map((answer, place) => [wanted[place]!, answer.rows]));
      this.#take(answers[0]!);
      this.failed = null;
    } catch (error) {
      if (question !== this.#question) return;
      this.failed = error instanceof Error ? error.message : String(error);
    }
    this.#changed();
  }

  async #add(page: number): Promise<void> {
    const query = this.#query;
    if (!query || this.#reading.has(page)) return;
    const question = this.#question;
    this.#reading.add(page);
    try {
      const answer = await this.#read({ ...query, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
      if (question !== this.#question) return;
      this.#pages.set(page, answer.rows);
      while (this.#pages.size > PAGES_KEPT) this.#pages.delete(this.#pages.keys().next().value!);
      this.#changed();
    } catch {
      // Asked for again when the rows are next needed.
    } finally {
      if (question === this.#question) this.#reading.delete(page);
    }
  }

  #touch(page: number): void {
    const rows = this.#pages.get(page)!;
    this.#pages.delete(page);
    this.#pages.set(page, rows);
  }

  #take(answer: CasePage): void {
    this.total = answer.total;
    this.groups = answer.groups;
    this.known = true;
  }
}
