import type { Checkpoint } from '@app/kernel';

export function sameCheckpoint(one: Checkpoint | null, other: Checkpoint | null): boolean {
  if (one === null || other === null) return one === other;
  const [a, b] = [one.lastEvent, other.lastEvent];
  const sameEvent =
    a === null || b === null ? a === b : a.id === b.id && a.streamId === b.streamId && a.revision === b.revision;
  return one.position === other.position && one.events === other.events && sameEvent;
}
