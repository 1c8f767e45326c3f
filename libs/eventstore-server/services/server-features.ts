import {
  type IServerFeaturesServer,
  ServerFeaturesService,
} from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import type { ProtocolService } from '../context';

/**
 * The version that this server reports: clients decide by it which features to use, and all of these exist here.
 * Responses are compared with those of 23.10.6.
 */
export const PROTOCOL_VERSION = '24.6.0';

/** Shows clients which methods exist, so that they can choose between a newer and an older one. */
export function serverFeaturesService(services: readonly ProtocolService[]): ProtocolService {
  const methods = services.flatMap(methodsOf);
  const handlers: IServerFeaturesServer = {
    getSupportedMethods: (_call, respond) =>
      respond(null, new SupportedMethods().setMethodsList([...methods]).setEventStoreServerVersion(PROTOCOL_VERSION)),
  };
  return { definition: ServerFeaturesService, handlers, features: {} };
}

function methodsOf({ definition, features, handlers }: ProtocolService): SupportedMethod[] {
  const implemented = Object.entries(definition).filter(([name]) => handlers[name] !== undefined);
  return implemented.map(([, { path }]) => {
    // "/package.Service/Method", reported in lower case
    const [, serviceName = '', methodName = ''] = path.toLowerCase().split('/');
    return new SupportedMethod()
      .setServiceName(serviceName)
      .setMethodName(methodName)
      .setFeaturesList([...(features[methodName] ?? [])]);
  });
}
