import { ConfigurationError } from '@app/config';
import { EventLogFormatError, EventLogInUseError } from '@app/storage/embedded';

/** Why the service could not be started, in words for whoever starts it; a stack only where nobody foresaw the reason. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (error instanceof EventLogInUseError || error instanceof EventLogFormatError) return error.message;
  const { code, port, path } = error as { readonly code?: string; readonly port?: number; readonly path?: string };
  if (code === 'EADDRINUSE') return `PORT: ${port} is in use by another program; choose another one`;
  if (code === 'EACCES' && port !== undefined) return `PORT: ${port} may not be used by this user; choose another one`;
  if ((code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC') && path !== undefined) {
    return `DATA_DIR: ${path} can't be written (${code})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
