import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { refusedAs } from '@app/platform/http/validation/rules';

const SIZE = refusedAs({ error: 'BATCH_SIZE_INVALID' });

/** The body of `POST /api/v2/payments/batch-query`. What is no payment's identifier is not found, so any text will do. */
export class BatchQueryDto {
  @IsArray()
  @ArrayMinSize(1, SIZE)
  @ArrayMaxSize(100, SIZE)
  @IsString({ each: true })
  paymentIds!: string[];
}
