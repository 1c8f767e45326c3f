export { freePort } from '@app/stores/testing/free-port';
