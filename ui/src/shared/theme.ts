// Light or dark: the system's, or the person's choice.
import { storage } from './drafts';

export type ThemeChoice = 'system' | 'light' | 'dark';
const KEY = 'onceover.theme';

export function readChoice(): ThemeChoice {
  const choice = storage()?.getItem(KEY);
  return choice === 'light' || choice === 'dark' ? choice : 'system';
}

export function themeOf(choice: ThemeChoice, systemIsDark: boolean): 'light' | 'dark' {
  if (choice !== 'system') return choice;
  return systemIsDark ? 'dark' : 'light';
}

function apply(): void {
  const dark = window.matchMedia?.('(prefers-color-scheme: dark)').matches ?? false;
  document.documentElement.dataset.theme = themeOf(readChoice(), dark);
}

export function choose(choice: ThemeChoice): void {
  storage()?.setItem(KEY, choice);
  apply();
}

/** Applies the choice, and again when the system or another window changes it. */
export function followTheme(): void {
  apply();
  window.matchMedia?.('(prefers-color-scheme: dark)').addEventListener('change', apply);
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) apply();
  });
}
