import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { readUuid, writeUuid } from './uuid';

const ID = '01234567-89ab-cdef-8000-00000000000f';
const HEX = ID.replaceAll('-', '');
const IN_NUMBERS = '{0x01234567,0x89ab,0xcdef,{0x80,0x0,0x00,0x00,0x00,0x00,0x0,0xf}}';

describe('a UUID as clients write it', () => {
  it.each([
    ID,
    ID.toUpperCase(),
    HEX,
    `{${ID}}`,
    `(${ID})`,
    ` ${ID} `,
    `\t${HEX}\n`,
    IN_NUMBERS,
    ` ${IN_NUMBERS.replaceAll(',', ', ')}`,
  ])('is understood as %s', (text) => expect(readUuid(new UUID().setString(text))).toBe(ID));

  it('is understood as two numbers', () => {
    expect(readUuid(writeUuid(ID, 'structured'))).toBe(ID);
  });

  it.each(['', 'no uuid', HEX.slice(1), `{${ID}`, `{${ID})`, `${ID}0`, IN_NUMBERS.replace('0xf', '0x100')])(
    'is none: %s',
    (text) => expect(readUuid(new UUID().setString(text))).toBeNull(),
  );

  it('is none where nothing is said', () => {
    expect([readUuid(undefined), readUuid(new UUID())]).toEqual([null, null]);
  });
});
