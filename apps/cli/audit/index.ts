import type { Clock, Random } from '@app/event-sourcing';
import { asksForHelp } from '../arguments';
import { wrongCommand } from '../cli-error';
import type { Output } from '../output';
import { EXPORT_USAGE, exportCommand } from './export';
import { RECONCILE_USAGE, reconcileCommand } from './reconcile';
import { SANDBOX_REPORT_USAGE, sandboxReportCommand } from './sandbox-report';
import { TRIAL_BALANCE_USAGE, trialBalanceCommand } from './trial-balance';

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
  export: { usage: EXPORT_USAGE, run: exportCommand },
  'trial-balance': { usage: TRIAL_BALANCE_USAGE, run: trialBalanceCommand },
  reconcile: { usage: RECONCILE_USAGE, run: reconcileCommand },
  'sandbox-report': { usage: SANDBOX_REPORT_USAGE, run: sandboxReportCommand },
};

/** @throws CliError */
export async function auditCommand([name, ...args]: readonly string[], context: AuditContext): Promise<void> {
  if (name !== undefined && asksForHelp([name])) return context.output.line(usage());
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw wrongCommand('audit', name, usage());
  if (asksForHelp(args)) return context.output.line(command.usage);
  return command.run(args, context);
}

function usage(): string {
  return ['Usage:', ...Object.values(COMMANDS).map((command) => command.usage)].join('\n');
}
