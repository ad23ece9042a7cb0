// The words for each trouble of a profile.
import type { Trouble } from '../../ipc/bindings';
import { TROUBLE, type TroubleWords } from '../../shared/words';

declare const __APP_VERSION__: string;

export function troubleWords(trouble: Trouble): TroubleWords {
  switch (trouble.code) {
    case 'store-newer':
      return TROUBLE.storeNewer(trouble.written_by, __APP_VERSION__, trouble.open);
    case 'store-damaged':
      return TROUBLE.storeDamaged(trouble.recovered, trouble.lost);
    case 'keychain-missing':
      return TROUBLE.keychainMissing;
    case 'session-revoked':
      return TROUBLE.sessionRevoked(trouble.open);
  }
}
