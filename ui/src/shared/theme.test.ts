import { expect, it } from 'vitest';

import { isBannerDue } from './desk.svelte';
import { choose, readChoice, themeOf } from './theme';

it('follows the system unless a person chose', () => {
  expect(themeOf('system', true)).toBe('dark');
  expect(themeOf('system', false)).toBe('light');
  expect(themeOf('light', true)).toBe('light');
  choose('dark');
  expect(readChoice()).toBe('dark');
  expect(document.documentElement.dataset['theme']).toBe('dark');
});

it('shows the offline banner after three seconds and never without a break', () => {
  expect(isBannerDue(null, 10_000)).toBe(false);
  expect(isBannerDue(10_000, 12_999)).toBe(false);
  expect(isBannerDue(10_000, 13_000)).toBe(true);
});
