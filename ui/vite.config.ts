import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

import manifest from './package.json' with { type: 'json' };

export default defineConfig({
  // Styles go to a file of their own: the windows run without 'unsafe-inline'.
  plugins: [svelte({ emitCss: true }), svelteTesting()],
  define: { __APP_VERSION__: JSON.stringify(manifest.version) },
  clearScreen: false,
  server: { port: 1420, strictPort: true },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  test: {
    environment: 'happy-dom',
    testTimeout: 30_000,
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/ipc/testing.ts'],
  },
});
