// PAM settings.
import { text } from '../../../main/config/setting-kinds.ts';

export const PAM_SETTINGS = {
  'PAM.Service': text('pressroom', 'PAM service, a file in /etc/pam.d'),
} as const;
