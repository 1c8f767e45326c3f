import { CreateReq, type GetInfoResp } from '@eventstore/db-client/generated/persistent_pb';
import { missing } from './cases';

const AS_ASKED: Readonly<Record<string, (settings: CreateReq.Settings, value: string) => unknown>> = {
  max_retry_count: (settings, value) => settings.setMaxRetryCount(Number(value)),
  min_checkpoint_count: (settings, value) => settings.setMinCheckpointCount(Number(value)),
  max_checkpoint_count: (settings, value) => settings.setMaxCheckpointCount(Number(value)),
  max_subscriber_count: (settings, value) => settings.setMaxSubscriberCount(Number(value)),
  read_batch_size: (settings, value) => settings.setReadBatchSize(Number(value)),
  history_buffer_size: (settings, value) => settings.setHistoryBufferSize(Number(value)),
  message_timeout_ms: (settings, value) => settings.setMessageTimeoutMs(Number(value)),
  message_timeout_ticks: (settings, value) => settings.setMessageTimeoutTicks(value),
  checkpoint_after_ms: (settings, value) => settings.setCheckpointAfterMs(Number(value)),
  checkpoint_after_ticks: (settings, value) => settings.setCheckpointAfterTicks(value),
  consumer_strategy: (settings, value) => settings.setConsumerStrategy(value),
};

/** The usual ones, but for the one that the case names. */
export function settingsOf(name: string): CreateReq.Settings {
  const settings = new CreateReq.Settings();
  if (name.endsWith('settings empty')) return settings;
  settings.setMessageTimeoutMs(30_000).setMaxRetryCount(10).setLiveBufferSize(500).setHistoryBufferSize(500);
  settings.setReadBatchSize(20).setCheckpointAfterMs(2_000).setMinCheckpointCount(10).setMaxCheckpointCount(1_000);
  settings.setNamedConsumerStrategy(CreateReq.ConsumerStrategy.ROUNDROBIN);
  const [, setting = '', value = ''] = /^S4a create ([a-z_]+)=(.+)$/.exec(name) ?? missing(name);
  (AS_ASKED[setting] ?? missing(name))(settings, value);
  return settings;
}

/** What a group is told to be, where that is not the usual. */
export function changed(response: GetInfoResp): Record<string, number | string> {
  const info = response.getSubscriptionInfo();
  if (info === undefined) throw new Error('A group tells of itself');
  const told: [name: string, value: number | string, usual: number | string][] = [
    ['message_timeout_milliseconds', info.getMessageTimeoutMilliseconds(), 30_000],
    ['max_retry_count', info.getMaxRetryCount(), 10],
    ['live_buffer_size', info.getLiveBufferSize(), 500],
    ['buffer_size', info.getBufferSize(), 500],
    ['read_batch_size', info.getReadBatchSize(), 20],
    ['check_point_after_milliseconds', info.getCheckPointAfterMilliseconds(), 2_000],
    ['min_check_point_count', info.getMinCheckPointCount(), 10],
    ['max_check_point_count', info.getMaxCheckPointCount(), 1_000],
    ['named_consumer_strategy', info.getNamedConsumerStrategy(), 'RoundRobin'],
    ['max_subscriber_count', info.getMaxSubscriberCount(), 0],
    ['start_from', info.getStartFrom(), '0'],
  ];
  return Object.fromEntries(told.filter(([, value, usual]) => value !== usual).map(([name, value]) => [name, value]));
}
