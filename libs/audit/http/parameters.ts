import { Opaque, Optional } from '@app/platform/http/validation/rules';
import { DEFAULT_PAGE_SIZE } from '@app/platform/http/rate-limit/request-cost';
import { IsIn, IsInt, Matches, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

const MAX_EVENTS = 500;
const MAX_CURSOR_LENGTH = 256;

class EventPageParameters {
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_EVENTS)
  @JSONSchema({ default: DEFAULT_PAGE_SIZE })
  limit?: number;

  @Optional()
  @Opaque({ max: MAX_CURSOR_LENGTH })
  cursor?: string;
}

export class AuditEventsParameters extends EventPageParameters {
  /** The position of an event that is known. */
  @Optional()
  @Matches(/^(0|[1-9][0-9]{0,18})$/, { message: 'A position, as it was answered.' })
  after?: string;

  /** What the names of streams begin with. */
  @Optional()
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '1 to 128 visible ASCII characters.' })
  stream?: string;
}

export const DIRECTIONS = ['forwards', 'backwards'] as const;

export class AuditStreamParameters extends EventPageParameters {
  /** The first revision wanted. */
  @Optional()
  @IsInt()
  @Min(0)
  from?: number;

  @Optional()
  @IsIn(DIRECTIONS)
  direction?: (typeof DIRECTIONS)[number];
}

export function limitOf({ limit = DEFAULT_PAGE_SIZE }: EventPageParameters): number {
  return limit;
}
