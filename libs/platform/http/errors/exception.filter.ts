import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorAnswers } from './error-answers';

/** Answers what a controller threw like any other failure. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  constructor(private readonly answers: ErrorAnswers) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answers.send(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
