import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { refusedAs } from '@app/platform/http/validation/rules';

const SIZE = refusedAs({ error: 'BATCH_SIZE_INVALID' });

/**
 * The body of `POST /api/v2/payments/batch-query`. Any text is accepted: what isn't a payment id is reported as not
 * found.
 */
export class BatchQueryDto {
  @IsArray()
  @ArrayMinSize(1, SIZE)
  @ArrayMaxSize(100, SIZE)
  @IsString({ each: true })
  paymentIds!: string[];
}
