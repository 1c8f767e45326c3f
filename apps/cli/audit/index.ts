import type { Clock, Random } from '@app/event-sourcing';
import { asksForHelp } from '../arguments';
import { wrongCommand } from '../cli-error';
import type { Output } from '../output';
import { DUMP_USAGE, dumpCommand } from './dump';
import { KEY_USAGE, keyCommand } from './key';
import { CHECK_PROOF_USAGE, checkProofCommand, PROVE_USAGE, proveCommand } from './prove';
import { VERIFY_USAGE, verifyCommand } from './verify';
import { BALANCES_USAGE, balancesCommand } from './balances';
import { COMPARE_USAGE, compareCommand } from './compare';
import { REPLAY_USAGE, replayCommand } from './replay';

/** What the auditor's commands work with. */
export interface AuditContext {
  readonly output: Output;
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface AuditCommand {
  readonly usage: string;
  readonly run: (args: readonly string[], context: AuditContext) => Promise<void>;
}

/** In the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, AuditCommand>> = {
  verify: { usage: VERIFY_USAGE, run: verifyCommand },
  key: { usage: KEY_USAGE, run: keyCommand },
  prove: { usage: PROVE_USAGE, run: proveCommand },
  'check-proof': { usage: CHECK_PROOF_USAGE, run: checkProofCommand },
  dump: { usage: DUMP_USAGE, run: dumpCommand },
  replay: { usage: REPLAY_USAGE, run: replayCommand },
  balances: { usage: BALANCES_USAGE, run: balancesCommand },
  compare: { usage: COMPARE_USAGE, run: compareCommand },
};

/** @throws CliError */
export async function auditCommand([name, ...args]: readonly string[], context: AuditContext): Promise<void> {
  if (name !== undefined && asksForHelp([name])) return context.output.line(usage());
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw wrongCommand('audit', name, usage());
  if (asksForHelp(args)) return context.output.line(`Usage:\n${command.usage}`);
  return command.run(args, context);
}

function usage(): string {
  return ['Usage:', ...Object.values(COMMANDS).map((command) => command.usage)].join('\n');
}
