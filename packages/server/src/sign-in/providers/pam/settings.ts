// Settings of PAM.
import { text } from '../../../main/config/setting-kinds.ts';

export const PAM_SETTINGS = {
  'PAM.Service': text('pressroom', 'Service whose rules decide, as named in /etc/pam.d'),
} as const;
