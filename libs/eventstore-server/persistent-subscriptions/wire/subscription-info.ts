import { SubscriptionInfo } from '@eventstore/db-client/generated/persistent_pb';
import type { Group, Subscriber } from '../group';
import { placeText, startText } from '../group-identity';
import type { Rates } from './rates';

/** A group's description for clients. */
export function writeSubscriptionInfo(group: Group, rates: Rates, nowMs: number): SubscriptionInfo {
  const { identity, settings, startFrom } = group.configuration;
  const { waiting, inFlight } = group.state;
  const connections = [...group.subscribers.values()].map((subscriber) => writeConnection(subscriber, rates, nowMs));
  const delivered = group.state.delivered;
  const { perSecond, since } = rates.measure(group, delivered, nowMs);
  const { place } = group.checkpoint;
  const { end } = group.source;
  return new SubscriptionInfo()
    .setEventSource(identity.source)
    .setGroupName(identity.name)
    .setStatus(statusOf(group))
    .setConnectionsList(connections)
    .setAveragePerSecond(perSecond)
    .setTotalItems(String(delivered))
    .setCountSinceLastMeasurement(String(since))
    .setLastCheckpointedEventPosition(place === null ? '' : placeText(identity, place))
    .setLastKnownEventPosition(end === null ? '' : placeText(identity, end))
    .setStartFrom(startText(identity, startFrom))
    .setResolveLinkTos(settings.resolveLinks)
    .setExtraStatistics(settings.extraStatistics)
    .setMessageTimeoutMilliseconds(settings.messageTimeoutMs)
    .setMaxRetryCount(settings.maxRetryCount)
    .setLiveBufferSize(settings.liveBufferSize)
    .setBufferSize(settings.historyBufferSize)
    .setReadBatchSize(settings.readBatchSize)
    .setCheckPointAfterMilliseconds(settings.checkpointAfterMs)
    .setMinCheckPointCount(settings.minCheckpointCount)
    .setMaxCheckPointCount(settings.maxCheckpointCount)
    .setNamedConsumerStrategy(settings.strategy)
    .setMaxSubscriberCount(settings.maxSubscriberCount)
    .setReadBufferCount(waiting.freshCount)
    .setLiveBufferCount(String(Math.min(Math.max(0, settings.liveBufferSize), group.live)))
    .setRetryBufferCount(waiting.retryCount)
    .setTotalInFlightMessages(inFlight)
    .setOutstandingMessagesCount(inFlight)
    .setParkedMessageCount(String(group.parked.count));
}

function writeConnection(subscriber: Subscriber, rates: Rates, nowMs: number): SubscriptionInfo.ConnectionInfo {
  const { consumer, username, connectionName, address } = subscriber;
  const { perSecond, since } = rates.measure(consumer, consumer.delivered, nowMs);
  const measurements = consumer.timings?.measurements() ?? [];
  return new SubscriptionInfo.ConnectionInfo()
    .setFrom(address)
    .setUsername(username)
    .setConnectionName(connectionName)
    .setAverageItemsPerSecond(perSecond)
    .setTotalItems(String(consumer.delivered))
    .setCountSinceLastMeasurement(String(since))
    .setAvailableSlots(consumer.capacity - consumer.inFlight)
    .setInFlightMessages(consumer.inFlight)
    .setObservedMeasurementsList(
      measurements.map(([key, valueMs]) => new SubscriptionInfo.Measurement().setKey(key).setValue(String(valueMs))),
    );
}

function statusOf({ isLive, isReplaying }: Group): string {
  const reading = isLive ? 'Live' : 'Behind';
  return isReplaying ? `ReplayingParkedMessages, ${reading}` : reading;
}
