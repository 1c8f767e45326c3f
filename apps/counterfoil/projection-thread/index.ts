export { ProjectionThread, type ProjectionThreadOptions } from './projection-thread';
