export { RequestFingerprints } from './fingerprints';
export { DamagedSecretError, SecretCipher, WrongMasterKeyError } from './secret-cipher';
