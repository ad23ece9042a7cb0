// The start of every window: the theme, the transport, then whatever kind of window this is.
import { mount } from 'svelte';

import '../shared/styles/tokens.css';
import '../shared/styles/base.css';
import { followTheme } from '../shared/theme';
import App from './App.svelte';

async function start(): Promise<void> {
  if (import.meta.env.DEV && !('__TAURI_INTERNALS__' in window)) {
    const { installFake } = await import('../ipc/fake');
    installFake();
  }
  followTheme();
  mount(App, { target: document.getElementById('app')! });
}

void start();
