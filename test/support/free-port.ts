export { freePort } from '@app/storage/testing/free-port';
