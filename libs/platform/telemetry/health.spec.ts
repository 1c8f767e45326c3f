import { HealthRegistry } from './health';

describe('HealthRegistry', () => {
  it('is ready when every check is', () => {
    const health = new HealthRegistry();
    expect(health.readiness()).toEqual({ ready: true, reasons: [] });
    health.register({ name: 'store', check: () => null });
    expect(health.readiness()).toEqual({ ready: true, reasons: [] });
  });

  it('gives every reason, also for a check that throws', () => {
    const health = new HealthRegistry();
    health.register({ name: 'store', check: () => 'no answer since 5 s' });
    health.register({
      name: 'broken',
      check: () => {
        throw new Error('internal detail');
      },
    });
    expect(health.readiness()).toEqual({
      ready: false,
      reasons: [
        { name: 'store', reason: 'no answer since 5 s' },
        { name: 'broken', reason: 'the check itself failed' },
      ],
    });
  });

  it('tells what it can do without for a while, and stays ready', () => {
    const health = new HealthRegistry();
    health.register({ name: 'cache', check: () => 'away', tolerable: true });
    expect(health.readiness()).toEqual({ ready: true, reasons: [{ name: 'cache', reason: 'away' }] });
    health.register({ name: 'store', check: () => 'away' });
    expect(health.readiness()).toMatchObject({ ready: false, reasons: [{ name: 'cache' }, { name: 'store' }] });
  });

  it('is not ready while it stops', () => {
    const health = new HealthRegistry();
    health.beginStopping();
    expect(health.readiness()).toEqual({ ready: false, reasons: [{ name: 'process', reason: 'stopping' }] });
  });

  it('refuses two checks of one name', () => {
    const health = new HealthRegistry();
    health.register({ name: 'store', check: () => null });
    expect(() => health.register({ name: 'store', check: () => null })).toThrow('two readiness checks');
  });
});
