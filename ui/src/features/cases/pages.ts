// The pages of a list that were read, with the oldest let go. A late answer to an older question is dropped.
import type { CasePage, CaseQuery, CaseRow, DueGroup } from '../../ipc/bindings';
import { layOut, topOf } from './virtual';

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

  /**
   * Reads the rows on show again without moving any of them. Where the new order leaves them in their places it is
   * taken over as a whole; else only their values are, and rows that left stay until asked anew. Returns whether the
   * list is now as it was answered.
   */
  async renew(query: CaseQuery, first: number, end: number): Promise<boolean> {
    const question = this.#question;
    const wanted = this.#pagesOf(first, Math.max(end, first + 1));
    const answers = await Promise.all(
      wanted.map((page) => this.#read({ ...query, offset: page * PAGE_ROWS, limit: PAGE_ROWS })),
    );
    if (question !== this.#question) return true;
    const fresh = answers.flatMap((answer) => answer.rows);
    const isStill = this.#staysInPlace(answers[0]!, fresh, wanted[0]! * PAGE_ROWS, first, Math.min(end, this.total));
    if (isStill) {
      this.#pages = new Map(answers.map((answer, place) => [wanted[place]!, answer.rows]));
      this.#take(answers[0]!);
    } else {
      const byId = new Map(fresh.map((row) => [row.id, row]));
      for (const [page, rows] of this.#pages) {
        this.#pages.set(
          page,
          rows.map((row) => byId.get(row.id) ?? row),
        );
      }
    }
    this.#changed();
    return isStill;
  }

  #staysInPlace(answer: CasePage, fresh: CaseRow[], offset: number, first: number, end: number): boolean {
    const before = layOut(this.total, this.groups);
    const after = layOut(answer.total, answer.groups);
    for (let index = first; index < end; index += 1) {
      if (this.row(index)?.id !== fresh[index - offset]?.id) return false;
      if (topOf(before, index) !== topOf(after, index)) return false;
    }
    return true;
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
