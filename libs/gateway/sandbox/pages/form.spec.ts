import { FORM_MAX_BYTES, parseForm, readDecision } from './form';

describe('the decision in a form', () => {
  it.each([
    ['decision=approve', 'approve'],
    ['decision=decline', 'decline'],
    [Buffer.from('decision=approve'), 'approve'],
    [{ decision: 'decline' }, 'decline'],
    ['other=1&decision=%61pprove', 'approve'],
    ['decision=approve&decision=decline', 'decline'],
  ])('%j is %s', (body, decision) => {
    expect(readDecision(body)).toBe(decision);
  });

  it.each([
    '',
    'decision',
    'decision=',
    'decision=APPROVE',
    'decision=approve%20',
    'decision[]=approve',
    `decision=approve&${'x'.repeat(FORM_MAX_BYTES)}`,
    {},
    { decision: ['approve'] },
    Object.create({ decision: 'approve' }),
    null,
    undefined,
    7,
  ])('%j is none', (body: unknown) => {
    expect(readDecision(body)).toBeNull();
  });

  it('cannot reach a prototype', () => {
    const form = parseForm('__proto__=1&decision=approve');
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
    expect(form['decision']).toBe('approve');
  });
});
