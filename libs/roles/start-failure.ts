import { BrokenSealError, SandboxFileError, WrongMasterKeyError } from '@app/application';
import { ConfigurationError } from '@app/config';
import { UnreadableEventError } from '@app/kernel';
import { EventLogFormatError, EventLogInUseError } from '@app/storage/embedded';

/** Their messages say all that whoever starts the service can use. */
const FORESEEN = [
  ConfigurationError,
  EventLogInUseError,
  EventLogFormatError,
  WrongMasterKeyError,
  BrokenSealError,
  SandboxFileError,
  UnreadableEventError,
];

interface SystemError {
  readonly code?: string;
  readonly port?: number;
  readonly path?: string;
  readonly address?: string;
  readonly hostname?: string;
}

/** Why the service could not be started, in words for whoever starts it; a stack only where nobody foresaw the reason. */
export function startFailure(error: unknown): string {
  if (error instanceof Error && FORESEEN.some((foreseen) => error instanceof foreseen)) return error.message;
  const { code, port, path, address, hostname } = error as SystemError;
  if (code === 'EADDRINUSE') return `PORT: ${port} is in use by another program; choose another one`;
  if (code === 'EACCES' && port !== undefined) return `PORT: ${port} may not be used by this user; choose another one`;
  if (code === 'EADDRNOTAVAIL' && address !== undefined) {
    return `HOST: ${address} is no address of this machine; choose one of its own, such as 127.0.0.1`;
  }
  if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname !== undefined) {
    return `HOST: ${hostname} can't be resolved to an address (${code}); choose an address of this machine, such as 127.0.0.1`;
  }
  if ((code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC') && path !== undefined) {
    return `DATA_DIR: ${path} can't be written (${code})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
