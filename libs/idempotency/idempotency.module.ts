import { RequestFingerprints } from '@app/keys/fingerprints';
import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AnsweredRequests } from './answered-requests';
import { IdempotencyInterceptor } from './http/idempotency.interceptor';

/** Recognises repeated requests. */
@Module({
  providers: [RequestFingerprints, AnsweredRequests, { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
  exports: [RequestFingerprints, AnsweredRequests],
})
export class IdempotencyModule {}
