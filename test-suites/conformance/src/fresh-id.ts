/** An id that nobody else uses: the suite shares its storage with whatever is there. */
export const freshId = (label = 'case'): string => `${label}-${crypto.randomUUID()}`
