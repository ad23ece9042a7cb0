import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // Forms and menus listen for Escape and Ctrl Enter: the keys of what they hold, not of their own.
    warningFilter: ({ code }) => code !== 'a11y_no_noninteractive_element_interactions',
  },
};
