// Times and dates as the interface writes them: local, short, English; "now" is always an argument.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY_MS = 86_400_000;

export type Moment = string | number | Date;

function at(moment: Moment): Date {
  return moment instanceof Date ? moment : new Date(moment);
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** 14:32 */
export function clock(moment: Moment): string {
  const date = at(moment);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** 14:06:02 */
export function clockWithSeconds(moment: Moment): string {
  return `${clock(moment)}:${two(at(moment).getSeconds())}`;
}

/** 2026-11-30, the local date. */
export function localDate(moment: Moment): string {
  const date = at(moment);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The local midnight before `moment`, as the program takes it. */
export function midnightBefore(moment: Moment): string {
  const date = at(moment);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).toISOString();
}

/** Noon of a `YYYY-MM-DD` date, local; undefined if it is not one. */
export function dayOf(date: string): Date | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!match) return undefined;
  return new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]), 12);
}

function monthDay(date: Date): string {
  return `${MONTHS[date.getMonth()]} ${date.getDate()}`;
}

/** Nov 27; with the year when it is not this one. */
export function shortDate(moment: Moment, now: Moment): string {
  const date = at(moment);
  return date.getFullYear() === at(now).getFullYear() ? monthDay(date) : longDate(date);
}

/** Nov 27, 2026 */
export function longDate(moment: Moment): string {
  const date = at(moment);
  return `${monthDay(date)}, ${date.getFullYear()}`;
}

/** A `YYYY-MM-DD` as Dec 11, 2026; anything else as it is. */
export function longDay(date: string): string {
  const day = dayOf(date);
  return day ? longDate(day) : date;
}

/** A `YYYY-MM-DD` as Dec 11; anything else as it is. */
export function shortDay(date: string, now: Moment): string {
  const day = dayOf(date);
  return day ? shortDate(day, now) : date;
}

function daysUntil(date: Date, now: Moment): number {
  const today = at(now);
  const start = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12);
  return Math.round((date.getTime() - start.getTime()) / DAY_MS);
}

/** How the list writes a due date: Today, Tomorrow, Dec 2. */
export function dueDay(date: string, now: Moment): string {
  const day = dayOf(date);
  if (!day) return date;
  const days = daysUntil(day, now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Tomorrow';
  return shortDate(day, now);
}

/** How a case writes it: "Nov 27, 3 days over", else as the list. */
export function dueInFull(date: string, now: Moment): string {
  const day = dayOf(date);
  if (!day) return date;
  const over = -daysUntil(day, now);
  if (over <= 0) return dueDay(date, now);
  return `${shortDate(day, now)}, ${over} ${over === 1 ? 'day' : 'days'} over`;
}

/** How the timeline writes a moment: 14:31 today, Fri 16:02 this week, else Nov 27. */
export function whenShort(moment: Moment, now: Moment): string {
  const date = at(moment);
  const noon = new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12);
  const days = -daysUntil(noon, now);
  if (days === 0) return clock(date);
  if (days > 0 && days < 7) return `${DAYS[date.getDay()]} ${clock(date)}`;
  return shortDate(date, now);
}

/** today 13:44, or Nov 29, 16:40 */
export function whenInFull(moment: Moment, now: Moment): string {
  if (localDate(moment) === localDate(now)) return `today ${clock(moment)}`;
  return `${shortDate(moment, now)}, ${clock(moment)}`;
}

/** 14:18, or Nov 29, 14:18 when that was another day. */
export function clockOrDay(moment: Moment, now: Moment): string {
  return localDate(moment) === localDate(now) ? clock(moment) : `${shortDate(moment, now)}, ${clock(moment)}`;
}

/** 0:24; never below 0:00. */
export function countdown(until: Moment, now: Moment): string {
  const seconds = Math.max(0, Math.ceil((at(until).getTime() - at(now).getTime()) / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** Whole seconds since `moment`; never below 0. */
export function secondsSince(moment: Moment, now: Moment): number {
  return Math.max(0, Math.floor((at(now).getTime() - at(moment).getTime()) / 1000));
}
