import { TextList } from './rules';

/** The body of `POST /api/v2/payments/batch-query`. What is no payment's identifier is not found, so any text will do. */
export class BatchQueryDto {
  @TextList({ min: 1, max: 100, error: 'BATCH_SIZE_INVALID' })
  paymentIds!: string[];
}
