import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

import svelteConfig from './svelte.config.js';

const onlyInIpc = {
  patterns: [{ group: ['@tauri-apps/*'], message: 'Only src/ipc/ talks to Tauri.' }],
};

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/ipc/bindings.ts'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: globals.browser } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    rules: {
      'no-restricted-imports': ['error', onlyInIpc],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': ['error', { allowTransitions: false }],
    },
  },
  { files: ['src/ipc/**'], rules: { 'no-restricted-imports': 'off' } },
);
