export { RequestFingerprints } from './fingerprints';
export { BrokenSealError, Vault, WrongMasterKeyError } from './vault';
