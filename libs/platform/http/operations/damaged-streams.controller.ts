import { type DamageKind, isoTime } from '@app/event-sourcing';
import { DamagedStreams } from '@app/platform/telemetry';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { Operator } from '../authentication/access';
import { type PageBody, pageOfAll } from '../pages';
import { PageQuery } from '../query-parameters';

/** A damaged stream, as found by the process that answers. */
export interface DamagedStreamBody {
  readonly streamId: string;
  readonly revision: number;
  readonly kind: DamageKind;
  readonly reason: string;
  readonly foundAt: string;
}

/** Lists the streams that are neither shown nor processed. */
@Controller('admin/v1/damaged-streams')
export class DamagedStreamsController {
  constructor(private readonly damaged: DamagedStreams) {}

  @Get()
  @Operator({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  list(@Query() page: PageQuery): PageBody<DamagedStreamBody> {
    return damagedStreamsPage(this.damaged, page);
  }
}

export function damagedStreamsPage(damaged: Pick<DamagedStreams, 'all'>, page: PageQuery): PageBody<DamagedStreamBody> {
  const found = damaged.all().map(({ foundAtMs, ...damage }) => ({ ...damage, foundAt: isoTime(foundAtMs) }));
  return pageOfAll('damaged-streams', found, page, ({ streamId }) => streamId);
}
