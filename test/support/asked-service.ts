import { auditorOf } from './auditor-client';
import { MerchantClient } from './merchant-client';
import { loadOpenApi } from './openapi-conformance';
import { answerOf, askOperation, type Change, type Operation, operationsOf } from './operations';
import { OperatorClient } from './operator-client';
import type { Service } from './service';

/** A service whose operations are called by their names in its OpenAPI document. */
export class AskedService {
  readonly client: MerchantClient;
  readonly operator: OperatorClient;

  private constructor(
    readonly service: Service,
    readonly operations: ReadonlyMap<string, Operation>,
    private readonly documented: readonly string[],
  ) {
    this.client = new MerchantClient(service.url, service.credentials);
    this.operator = new OperatorClient(service);
  }

  static async of(service: Service): Promise<AskedService> {
    const { document, documented } = await loadOpenApi(service.url);
    // While the log is away, no auditor can be registered any more.
    await auditorOf(service);
    const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
    return new AskedService(service, operations, documented);
  }

  /** The response, in the form of the document's list. */
  async ask(operationId: string, change: Change = {}): Promise<string> {
    const operation = this.operations.get(operationId);
    if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
    return answerOf(operation, await askOperation(this.service, operation, change));
  }

  /** Operations that document the code. */
  withCode(code: string): readonly string[] {
    return [...this.operations.keys()].filter((operationId) =>
      this.documented.some((answer) => answer.startsWith(`${operationId} `) && answer.endsWith(` ${code}`)),
    );
  }
}
