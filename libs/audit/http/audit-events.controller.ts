import { ReadEventsQuery, ReadHeadQuery, ReadStreamEventsQuery } from '@app/audit/commands';
import type { RecordedEvent } from '@app/event-sourcing';
import { ForAuditor } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import type { PageBody } from '@app/platform/http/pages';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AuditEventsParameters, AuditStreamParameters, limitOf } from './parameters';

/** An event as it is stored. Data and metadata stay texts, because hashes cover their bytes. */
interface StoredEventBody {
  readonly position: string;
  readonly streamId: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** The log itself, of all merchants. */
@Controller('audit/v1')
export class AuditEventsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('events')
  @ForAuditor({ query: AuditEventsParameters })
  @Header('Cache-Control', 'no-store')
  async events(@Query() query: AuditEventsParameters): Promise<PageBody<StoredEventBody>> {
    const { cursor, after, stream = '' } = query;
    const list = `audit/events/${stream}`;
    const [begin, until] =
      cursor === undefined
        ? [after, undefined]
        : decodeCursor(list, cursor)
            .split('|')
            .map((text) => text || undefined);
    const place = { after: positionOf(begin), until: positionOf(until) };
    const { events, next } = await this.queries.execute(new ReadEventsQuery(place, stream, limitOf(query)));
    const nextCursor = next && encodeCursor(list, `${next.after ?? ''}|${next.until}`);
    return { items: events.map(presentEvent), nextCursor };
  }

  @Get('streams/:streamId/events')
  @ForAuditor({ query: AuditStreamParameters })
  @Header('Cache-Control', 'no-store')
  async streamEvents(
    @Param('streamId') streamId: string,
    @Query() query: AuditStreamParameters,
  ): Promise<PageBody<StoredEventBody>> {
    const { cursor, from, direction = 'forwards' } = query;
    const list = `audit/streams/${streamId}/${direction}`;
    const [begin, end] = cursor === undefined ? [] : decodeCursor(list, cursor).split('|').map(Number);
    const step = direction === 'forwards' ? 1 : -1;
    const place = { after: begin ?? (from === undefined ? null : from - step), until: end ?? null };
    const wanted = new ReadStreamEventsQuery(streamId, place, direction, limitOf(query));
    const { events, next } = await this.queries.execute(wanted);
    const nextCursor = next && encodeCursor(list, `${next.after ?? -1}|${next.until}`);
    return { items: events.map(presentEvent), nextCursor };
  }

  @Get('head')
  @ForAuditor()
  @Header('Cache-Control', 'no-store')
  async head(): Promise<{ readonly position: string | null }> {
    const position = await this.queries.execute(new ReadHeadQuery());
    return { position: position === null ? null : String(position) };
  }
}

function positionOf(text: string | undefined): bigint | null {
  return text === undefined ? null : BigInt(text);
}

function presentEvent({ position, streamId, revision, id, type, data, metadata }: RecordedEvent): StoredEventBody {
  return { position: String(position), streamId, revision, id, type, data, metadata };
}
