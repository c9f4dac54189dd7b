import type { SessionDriver } from '@holdfast/core'
import { intercept } from './intercept.ts'

/** The driver as if its author had left `append` out. */
export function withoutAppend(driver: SessionDriver): SessionDriver {
  const { append: _, ...rest } = intercept(driver, {})
  return rest
}
