export { DataKeyWatch } from './data-key-watch';
export { KeyRing } from './key-ring';
export { RequestFingerprints } from './fingerprints';
export { DamagedSecretError, SecretCipher, WrongMasterKeyError } from './secret-cipher';
