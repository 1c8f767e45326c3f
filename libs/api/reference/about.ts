import type { JsonObject } from '@app/platform/http/openapi/schema';
import type { Audience } from './audience';

/** The document's title and summary, and how its operations are authenticated. */
export const ABOUT: Readonly<
  Record<Audience, { readonly title: string; readonly summary: string; readonly securitySchemes: JsonObject }>
> = {
  merchants: {
    title: 'Counterfoil',
    summary: 'Payments, refunds and their webhooks, for merchants.',
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'An access token of the merchant (`cft_…`) with the scope that the operation names.',
      },
      requestSignature: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Signature',
        description:
          '`sha256=` and the HMAC-SHA256 of the request. The guide *Signing requests* shows how. Send `X-Timestamp` with it.',
      },
    },
  },
  operators: {
    title: 'Counterfoil for operators',
    summary: 'Merchants, webhook deliveries, projections and health, for those who run the service.',
    securitySchemes: {
      operatorToken: {
        type: 'http',
        scheme: 'bearer',
        description:
          "The operator's token: `OPERATOR_TOKEN`, or in development the one in `DATA_DIR/operator.token`. A merchant's access token is refused.",
      },
    },
  },
  auditors: {
    title: 'Counterfoil for auditors',
    summary: 'The log of events of all merchants, and what the service makes of it, for auditors.',
    securitySchemes: {
      auditorToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token that the operator issued to an auditor (`cfa_…`). It only reads.',
      },
    },
  },
};
