import { expect, it } from 'vitest';

import { NOW, todayAt } from './examples';
import {
  clock,
  clockOrDay,
  countdown,
  dueDay,
  dueInFull,
  localDate,
  longDay,
  secondsSince,
  whenInFull,
  whenShort,
} from './time';

it('writes due dates as people say them', () => {
  expect(dueDay('2026-11-30', NOW)).toBe('Today');
  expect(dueDay('2026-12-01', NOW)).toBe('Tomorrow');
  expect(dueDay('2026-12-02', NOW)).toBe('Dec 2');
  expect(dueDay('2027-01-02', NOW)).toBe('Jan 2, 2027');
  expect(dueInFull('2026-11-27', NOW)).toBe('Nov 27, 3 days over');
  expect(dueInFull('2026-11-29', NOW)).toBe('Nov 29, 1 day over');
  expect(longDay('2026-12-11')).toBe('Dec 11, 2026');
  expect(dueDay('not a date', NOW)).toBe('not a date');
});

it('writes moments by how far away they are', () => {
  expect(clock(todayAt(14, 31))).toBe('14:31');
  expect(whenShort(todayAt(14, 31), NOW)).toBe('14:31');
  expect(whenShort(new Date(2026, 10, 27, 16, 2), NOW)).toBe('Fri 16:02');
  expect(whenShort(new Date(2026, 9, 4, 9), NOW)).toBe('Oct 4');
  expect(whenInFull(todayAt(13, 44), NOW)).toBe('today 13:44');
  expect(whenInFull(new Date(2026, 10, 29, 16, 40), NOW)).toBe('Nov 29, 16:40');
  expect(clockOrDay(new Date(2026, 10, 27, 11, 40), NOW)).toBe('Nov 27, 11:40');
  expect(localDate(NOW)).toBe('2026-11-30');
});

it('counts down and never below nothing', () => {
  expect(countdown(todayAt(14, 32, 32), NOW)).toBe('0:24');
  expect(countdown(todayAt(15, 40, 8), NOW)).toBe('1:08:00');
  expect(countdown(todayAt(14, 0), NOW)).toBe('0:00');
  expect(secondsSince(todayAt(15, 0), NOW)).toBe(0);
});
