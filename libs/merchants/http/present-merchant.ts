import type { ListedMerchant, MerchantDescription } from '@app/merchants/commands';
import { type FeeScheduleBody, presentFeeSchedule } from './fee-schedule';

/** A merchant with its current settings. */
export interface MerchantBody {
  readonly merchantId: string;
  readonly name: string;
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly registeredAt: string;
  readonly suspendedAt: string | null;
  readonly suspensionReason: string | null;
  readonly requireSignatures: boolean;
  readonly rotationGraceSeconds: number;
  readonly feeSchedule: FeeScheduleBody;
}

/** If the status is `DAMAGED`, only the merchant's id can be trusted. */
export interface MerchantItem {
  readonly merchantId: string;
  readonly name: string | null;
  readonly status: 'ACTIVE' | 'SUSPENDED' | 'DAMAGED';
  readonly registeredAt: string | null;
  readonly suspendedAt: string | null;
}

export function presentMerchant(merchant: MerchantDescription): MerchantBody {
  const { merchantId, name, registeredAt, settings, suspension } = merchant;
  return {
    merchantId,
    name,
    status: suspension === null ? 'ACTIVE' : 'SUSPENDED',
    registeredAt,
    suspendedAt: suspension?.since ?? null,
    suspensionReason: suspension?.reason ?? null,
    ...settings,
    feeSchedule: presentFeeSchedule(settings.feeSchedule),
  };
}

export function presentMerchantItem({ merchantId, merchant, isDamaged }: ListedMerchant): MerchantItem {
  if (isDamaged || merchant === null) {
    return { merchantId, name: null, status: 'DAMAGED', registeredAt: null, suspendedAt: null };
  }
  const { name, registeredAt, suspension } = merchant;
  const status = suspension === null ? 'ACTIVE' : 'SUSPENDED';
  return { merchantId, name, status, registeredAt, suspendedAt: suspension?.since ?? null };
}
