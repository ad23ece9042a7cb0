// The words for each trouble of a profile.
import type { Trouble } from '../../ipc/bindings';
import { counted } from '../../shared/words/phrases';
import { TROUBLE, type TroubleWords } from '../../shared/words/trouble';

declare const __APP_VERSION__: string;

/** What the button says that shows the changes of a damaged store. */
export function lookWords(recovered: number, lost: number | null): string {
  const known = recovered + (lost ?? 0);
  return known === 0 ? 'Look at what is left' : `Look at ${counted(known, 'change')}`;
}

export function troubleWords(trouble: Trouble): TroubleWords {
  switch (trouble.code) {
    case 'store-newer':
      return TROUBLE.storeNewer(trouble.written_by, __APP_VERSION__, trouble.open);
    case 'store-damaged':
      return TROUBLE.storeDamaged(trouble.recovered, trouble.lost);
    case 'epoch-changed':
      return TROUBLE.epochChanged(trouble.missing);
    case 'keychain-missing':
      return TROUBLE.keychainMissing;
    case 'session-revoked':
      return TROUBLE.sessionRevoked(trouble.open);
  }
}
