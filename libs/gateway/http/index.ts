export { GatewayCallbacks } from './callbacks/callbacks';
export { GATEWAY_CALLBACK_ROUTES, GatewayCallbacksModule } from './callbacks/callbacks.controller';
export { CallbackSender, type CallbackSenderOptions } from './callbacks/callback-sender';
export { HttpGateway, type HttpGatewayOptions } from './http-gateway';
export { GatewayProtocol, type GatewayProtocolOptions } from './server/protocol';
export type { GatewayMode } from './signing';
export { GATEWAY_PROTOCOL_ROUTES } from './server/protocol.controller';
export { GatewayProtocolModule } from './server/protocol.module';
