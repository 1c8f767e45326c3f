import type { Answer } from './merchant-client';
import { recordAnswer } from './openapi-conformance';
import { OperatorClient } from './operator-client';
import { bodyOf } from './payments';
import type { Service } from './service';
import { steadyFetch } from './steady-fetch';

export interface RegisteredAuditor {
  readonly auditorId: string;
  readonly name: string;
  readonly auditorToken: string;
  readonly expiresAt: string;
}

export interface StoredEventBody {
  readonly position: string;
  readonly streamId: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export interface EventPage {
  readonly items: readonly StoredEventBody[];
  readonly nextCursor: string | null;
}

/** An auditor's client, written from the published contract only. */
export class AuditorClient {
  constructor(
    readonly service: Pick<Service, 'url'>,
    readonly auditor: RegisteredAuditor,
  ) {}

  static async register(service: Service, name = 'Prüfer'): Promise<AuditorClient> {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const registered = await new OperatorClient(service).send('POST', '/auditors', { name, expiresAt });
    return new AuditorClient(service, bodyOf<RegisteredAuditor>(registered, 201));
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { auditorToken } = this.auditor;
    const response = await steadyFetch(`${this.service.url}/audit/v1${path}`, {
      headers: { Authorization: `Bearer ${auditorToken}`, ...headers },
    });
    const text = await response.text();
    recordAnswer('GET', `/audit/v1${path}`, response.status, response.headers, text);
    const body = JSON.parse(text) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body, text };
  }

  /** All pages of a list of events. */
  async events(path: string): Promise<readonly StoredEventBody[]> {
    const events: StoredEventBody[] = [];
    for (let cursor = ''; ;) {
      const page = bodyOf<EventPage>(await this.get(`${path}${path.includes('?') ? '&' : '?'}${cursor}`), 200);
      events.push(...page.items);
      if (page.nextCursor === null) return events;
      cursor = `cursor=${page.nextCursor}`;
    }
  }
}

const known = new Map<string, Promise<AuditorClient>>();

/** The same auditor for all who ask, for each folder of a service. */
export function auditorOf(service: Service): Promise<AuditorClient> {
  const client = known.get(service.dataDir) ?? AuditorClient.register(service);
  known.set(service.dataDir, client);
  return client;
}
